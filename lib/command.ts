#!/usr/bin/env node
// Comes in: the words of a command line. Goes out: tables made or checked, what was done on the standard output, what
// went wrong on the standard error, and an exit code. Refused: unknown words, with the usage.
import { runCommand } from './command/run'

void runCommand(process.argv.slice(2), {
  print: (text) => process.stdout.write(`${text}\n`),
  complain: (text) => process.stderr.write(`${text}\n`),
}).then((code) => {
  process.exitCode = code
})
