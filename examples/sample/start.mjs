import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

const newest = (folder) =>
  Math.max(
    ...readdirSync(join(root, folder), { recursive: true }).map(
      (name) => statSync(join(root, folder, name)).mtimeMs,
    ),
  )

function buildWhereNeeded() {
  const built = join(root, 'dist', 'lib', 'index.js')
  const changed = Math.max(...['lib', 'extensions', 'tools', 'migrations'].map(newest))
  if (existsSync(built) && statSync(built).mtimeMs > changed) return
  console.log('Building the package…')
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) process.exit(status ?? 1)
}

/** Every start begins with the content as the files tell it; two at a time do not meet. */
function makeDatabaseFile() {
  const folder = join(root, '.tmp')
  mkdirSync(folder, { recursive: true })
  const filename = join(folder, `sample-${process.pid}.db`)
  process.on('exit', () => rmSync(filename, { force: true }))
  rmSync(filename, { force: true })
  return filename
}

const shown = [
  'articles',
  'articles?populate=*',
  'articles?locale=fr&populate[author][populate][0]=homeCity',
  'homepage?populate[sections][on][story.route-card][populate][walk][populate][0]=map',
]

/** Brackets are written as terminals take them for a part of a link. */
const linkTo = (path) => path.replace(/[[\]]/g, encodeURIComponent)

function announce(port) {
  const at = `http://localhost:${port}`
  console.log(`
The Long Way is served. Open ${at}

${shown.map((path) => `  ${at}/api/${linkTo(path)}`).join('\n')}
  curl -H 'X-Role: editor' '${at}/api/articles?status=draft'

Press Ctrl-C to stop.`)
}

// From the first moment: an end in the middle of the start must take the database file along, too.
let stop = () => process.exit(0)
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop())

buildWhereNeeded()
const { makeApp } = await import('./app.mjs')
const { app, close } = await makeApp({
  client: 'better-sqlite3',
  connection: { filename: makeDatabaseFile() },
  useNullAsDefault: true,
})
const server = createServer(app)
server.on('listening', () => announce(server.address().port))
const port = process.env.PORT ?? '3737'
server.on('error', (error) => {
  console.error(error.code === 'EADDRINUSE' ? `Port ${port} is taken: PORT chooses another.` : error.message)
  process.exit(1)
})
server.listen(Number(port))

stop = () => {
  server.close(() => close().then(() => process.exit(0)))
  server.closeAllConnections()
}
