// Three processes that end together: the API, the types of its definitions, and the page.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

const API_PORT = process.env.API_PORT ?? '3737'
const running = []
let isEnding = false

async function end(code) {
  if (isEnding) return
  isEnding = true
  const open = running.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
  for (const child of open) child.kill()
  await Promise.all(open.map((child) => once(child, 'exit')))
  process.exit(code)
}

/** Whichever ends first takes the others along. */
function start(script, words, { env, stdout = 'inherit' } = {}) {
  const child = spawn(process.execPath, [script, ...words], {
    env: { ...process.env, ...env },
    stdio: ['ignore', stdout, 'inherit'],
  })
  running.push(child)
  child.on('exit', (code) => end(code ?? 1))
  return child
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => end(0))

// The page is served once there is an API to ask: the sample's last line says so.
const api = start('../../examples/sample/start.mjs', [], { env: { PORT: API_PORT }, stdout: 'pipe' })
for await (const line of createInterface({ input: api.stdout })) {
  if (line.startsWith('Press Ctrl-C')) break
}
api.stdout.resume()

start('node_modules/express-content-router/dist/tools/command.js', [
  ...['types', '--content-types', '../../content-types'],
  ...['--out', 'src/content.ts', '--watch'],
])
start('node_modules/vite/bin/vite.js', process.argv.slice(2), { env: { API_PORT } })
