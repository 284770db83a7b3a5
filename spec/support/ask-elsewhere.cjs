// A process of its own, so that it can be in another time zone: serves a configuration and prints one answer.
const { readFileSync } = require('node:fs')
const { transformSync } = require('@swc/core')

const options = {
  jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
  module: { type: 'commonjs' },
}
require.extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), { ...options, filename })
  module._compile(code, filename)
}

const express = require('express')
const { contentRouter } = require('../../lib/index.ts')

const [config, path] = process.argv.slice(2)
const router = contentRouter({ ...JSON.parse(config), permissions: { public: { find: '*' } } })
const server = express()
  .use('/api', router)
  .listen(0, '127.0.0.1', async () => {
    const answer = await fetch(`http://127.0.0.1:${server.address().port}${path}`)
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
    process.stdout.write(JSON.stringify({ zone: timeZone, body: await answer.json() }))
    server.close()
    server.closeAllConnections()
    await router.close()
  })
