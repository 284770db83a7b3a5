// Prints what a repository answers, first read and then cached: `deletion-requests.cjs <repository> <SQLite file>`.
const { once } = require('node:events')
const { join } = require('node:path')
const express = require('express')

const paths = [
  'articles?populate=*&sort=title',
  'articles?filters[author][name][$containsi]=a&fields=title&populate[tags][sort]=name',
  'articles?filters[tags][$none][name]=rain&sort=tags.$count:desc,title&pagination[pageSize]=5',
  'articles?pagination[after]=&sort=publishedAt:desc&pagination[pageSize]=3',
  'authors?populate[articles][populate][category]=true&_q=a',
  'homepage?populate=*',
  'articles/none',
  'letters',
  'articles?filters[nope]=1',
  'nothing',
]

async function answer(root, filename) {
  const { contentRouter } = require(join(root, 'lib'))
  const content = contentRouter({
    contentTypes: join(root, 'content-types'),
    database: { client: 'better-sqlite3', connection: { filename }, useNullAsDefault: true },
    permissions: { public: { find: ['article', 'author', 'category', 'tag', 'homepage'] } },
    cache: {},
    notFound: 'json',
    logger: false,
  })
  await content.ready()
  const server = express().use('/api', content).listen(0, '127.0.0.1')
  await once(server, 'listening')
  for (const path of [...paths, ...paths]) {
    const response = await fetch(`http://127.0.0.1:${server.address().port}/api/${path}`)
    const headers = ['content-type', 'vary', 'cache-control'].map((name) => response.headers.get(name))
    // A tag holds a key that each process draws.
    headers.push(response.headers.has('etag') ? 'tagged' : 'untagged')
    process.stdout.write(`${response.status} ${path} ${headers.join(' ')} ${await response.text()}\n`)
  }
  server.close()
  await content.close()
}

const [root, filename] = process.argv.slice(2)
void answer(root, filename)
