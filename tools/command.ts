#!/usr/bin/env node
// Input: the words of a command line.
// Output: tables made or checked, results on the standard output, errors on the standard error, and an exit code.
// Rejected: unknown words, with the usage.
import { runCommand } from './command/run'

// A reader such as `head` closes the pipe early: the command goes on, and its exit code is valid.
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
