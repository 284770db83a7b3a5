// Runs the checks, two at a time; the longest comes first. What one prints is shown when it ends.
const { spawn } = require('node:child_process')

const checks = ['lint', 'format:check', 'typecheck']

/** Resolves with `true` if the check passed. */
const run = (name) =>
  new Promise((resolve) => {
    const child = spawn('npm', ['run', name], { shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const collect = (text) => (output += text)
    child.stdout.setEncoding('utf8').on('data', collect)
    child.stderr.setEncoding('utf8').on('data', collect)
    child.on('close', (code) => {
      process.stdout.write(output)
      resolve(code === 0)
    })
  })

async function work() {
  for (let name = checks.shift(); name !== undefined; name = checks.shift())
    if (!(await run(name))) process.exitCode = 1
}

void work()
void work()
