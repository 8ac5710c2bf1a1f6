// Before the first paint: a theme that was chosen earlier, or that the link asks for.
{
  let theme = /[?&]theme=(light|dark)/u.exec(location.hash)?.[1]
  try {
    theme ??= localStorage.getItem('theme') ?? undefined
  } catch {
    // Storage may be forbidden: then the system decides.
  }
  if (theme) document.documentElement.dataset.theme = theme
}
