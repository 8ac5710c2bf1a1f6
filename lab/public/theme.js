// Sets the theme before the first paint: that of the link, else the stored choice, else the system's.
{
  let theme = /[?&]theme=(light|dark)/u.exec(location.hash)?.[1]
  try {
    theme ??= localStorage.getItem('theme')
  } catch {
    // Storage may be forbidden.
  }
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  Object.assign(document.documentElement.dataset, {
    theme: theme ?? system,
    chosen: Boolean(theme),
  })
}
