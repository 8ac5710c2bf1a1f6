/** Writes lines: results to standard output, remarks to standard error. */

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value))
}

export function remark(line: string): void {
  process.stderr.write(`${line}\n`)
}
