// A process of its own, which sets its time zone: serves a configuration in each of the zones, and prints the responses.
const { once } = require('node:events')
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

const [config, path, ...zones] = process.argv.slice(2)

async function responseIn(zone) {
  process.env.TZ = zone
  const router = contentRouter({ ...JSON.parse(config), permissions: { public: { find: '*' } } })
  const server = express().use('/api', router).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const response = await fetch(`http://127.0.0.1:${server.address().port}${path}`)
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const body = await response.json()
  server.close()
  server.closeAllConnections()
  await router.close()
  return { zone: timeZone, body }
}

async function main() {
  const responses = []
  for (const zone of zones) responses.push(await responseIn(zone))
  process.stdout.write(JSON.stringify(responses))
}

void main()
