// Asks with one client all that it is asked, in a process of its own, and prints what came.
require('../../../lab/bench/typescript.cjs')
const clients = require('./clients.cjs')

const [client, at, entry] = process.argv.slice(2)

const statusOf = (error) =>
  error.status ?? error.statusCode ?? error.response?.status ?? error.error?.status ?? null

async function answerOf(ask) {
  try {
    return { value: await ask(JSON.parse(entry)) }
  } catch (error) {
    return { status: statusOf(error), message: String(error.message ?? error) }
  }
}

async function run() {
  const answers = {}
  for (const [name, ask] of Object.entries(clients[client](at))) answers[name] = await answerOf(ask)
  process.stdout.write(JSON.stringify(answers), () => process.exit(0))
}

run()
