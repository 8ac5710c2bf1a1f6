/** Says what an operator can do about an error of the file system, by its code. */

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'free space on the disk',
  EDQUOT: 'raise the quota or free space on the disk',
  EROFS: 'make the disk writable',
  EACCES: 'make the file writable for the user of this process',
  EPERM: 'make the file writable for the user of this process',
  EIO: 'the disk fails: see the log of the system, and move the member to another disk',
  EMFILE: 'this process has too many open files: raise its limit (ulimit -n)',
  ENFILE: 'this machine has too many open files: raise its limit (sysctl fs.file-max)',
}

export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error)
}

export function remedyOf(error: unknown): string {
  return REMEDIES[codeOf(error)] ?? 'see the log of the system'
}
