// Takes out of a build what no entry point leads to: code of files that hold types alone, declarations of what is internal.
const { existsSync, readdirSync, readFileSync, rmSync } = require('node:fs')
const { dirname, join } = require('node:path')

const [folder] = process.argv.slice(2)
const extensions = readdirSync(join(folder, 'extensions')).map((name) => `extensions/${name}/index`)
const doors = ['lib/index', 'tools/command', ...extensions]
const entries = doors.map((name) => join(folder, name))
const links = {
  '.js': /(?:require|import)\(["'](\.[^"']+)["']\)/g,
  '.d.ts': /(?:from |import\()["'](\.[^"']+)["']/g,
}

function reached(extension) {
  const files = new Set(entries.map((entry) => entry + extension))
  // Grows while it is walked.
  for (const file of files)
    for (const [, link] of readFileSync(file, 'utf8').matchAll(links[extension])) {
      const target = join(dirname(file), link)
      files.add([target, join(target, 'index')].map((path) => path + extension).find(existsSync))
    }
  return files
}

const kept = new Set([...reached('.js'), ...reached('.d.ts')])
const built = readdirSync(folder, { recursive: true }).map((name) => join(folder, name))
for (const file of built) if (/\.(js|d\.ts)$/.test(file) && !kept.has(file)) rmSync(file)
