// Takes out of a build the code that no entry point leads to: files that hold types alone.
const { existsSync, readdirSync, readFileSync, rmSync } = require('node:fs')
const { dirname, join } = require('node:path')

const [folder] = process.argv.slice(2)
const extensions = readdirSync(join(folder, 'extensions')).map((name) => `extensions/${name}/index`)
const doors = ['lib/index', 'tools/command', ...extensions]
const link = /(?:require|import)\(["'](\.[^"']+)["']\)/g

const files = new Set(doors.map((name) => `${join(folder, name)}.js`))
// Grows while it is walked.
for (const file of files)
  for (const [, path] of readFileSync(file, 'utf8').matchAll(link)) {
    const target = join(dirname(file), path)
    files.add([target, join(target, 'index')].map((one) => `${one}.js`).find(existsSync))
  }
for (const name of readdirSync(folder, { recursive: true })) {
  const file = join(folder, name)
  if (file.endsWith('.js') && !files.has(file)) rmSync(file)
}
