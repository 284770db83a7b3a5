#!/usr/bin/env node
// Comes in: the words of a command line. Goes out: tables made or checked, what was done on the standard output, what
// went wrong on the standard error, and an exit code. Refused: unknown words, with the usage.
import { runCommand } from './command/run'

// A reader such as `head` closes the pipe once it has enough: the command goes on, and its exit code holds.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

void runCommand(process.argv.slice(2), {
  print: (text) => process.stdout.write(`${text}\n`),
  complain: (text) => process.stderr.write(`${text}\n`),
}).then((code) => {
  process.exitCode = code
})
