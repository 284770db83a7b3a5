// Runs the checks, and the scripts that are named, two at a time. The linter takes longest and comes first. What a check prints is
// shown when it ends; what the last script prints is shown at once.
const { spawn } = require('node:child_process')

const scripts = ['lint', 'format:check', 'typecheck', ...process.argv.slice(2)]

/** Resolves with `true` if the script passed. */
const run = (name) =>
  new Promise((resolve) => {
    const isShown = scripts.length === 0
    const child = spawn('npm', ['run', name], {
      shell: true,
      stdio: ['ignore', ...(isShown ? ['inherit', 'inherit'] : ['pipe', 'pipe'])],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => (output += text))
    child.on('close', (code) => {
      process.stdout.write(output)
      resolve(code === 0)
    })
  })

async function work() {
  for (let name = scripts.shift(); name !== undefined; name = scripts.shift())
    if (!(await run(name))) process.exitCode = 1
}

void work()
void work()
