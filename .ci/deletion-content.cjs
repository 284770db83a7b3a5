// Fills an SQLite file with the content of the sample: `deletion-content.cjs <repository> <file>`.
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')

async function fill(root, filename) {
  const { migrate } = require(join(root, 'lib'))
  const { seed } = require(join(root, 'extensions', 'seed'))
  const { readContent } = await import(pathToFileURL(join(root, 'examples', 'sample', 'content.mjs')).href)
  const config = {
    contentTypes: join(root, 'content-types'),
    database: { client: 'better-sqlite3', connection: { filename }, useNullAsDefault: true },
  }
  await migrate(config)
  await seed(config, readContent())
}

const [root, filename] = process.argv.slice(2)
void fill(root, filename)
