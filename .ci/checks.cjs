// What needs no other's result, side by side, as each is busy on one core: what one has said is shown when it ends.
const { spawn } = require('node:child_process')

const checks = ['lint', 'format:check', 'typecheck']

/** Whether it passed. */
const check = (name) =>
  new Promise((resolve) => {
    const child = spawn('npm', ['run', name], { shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    const hear = (text) => (said += text)
    child.stdout.setEncoding('utf8').on('data', hear)
    child.stderr.setEncoding('utf8').on('data', hear)
    child.on('close', (code) => {
      process.stdout.write(said)
      resolve(code === 0)
    })
  })

void Promise.all(checks.map(check)).then((passed) => {
  if (passed.includes(false)) process.exitCode = 1
})
