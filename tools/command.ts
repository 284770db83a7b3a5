#!/usr/bin/env node
// Input: the words of a command line.
// Output: tables made or checked, results on the standard output, errors on the standard error, and an exit code.
// Rejected: unknown words, with the usage.
import { runCommand } from './command/run'
import { terminalOutput } from './command/terminal'

// A reader such as `head` closes the pipe early: the command goes on, and its exit code is valid.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

const { stdout, stderr, env } = process
void runCommand(process.argv.slice(2), terminalOutput(stdout, stderr, env)).then((code) => {
  process.exitCode = code
})
