// Fuzzes a target that rejects out of sight when more than three requests run at once, and prints what was found.
require('../../lab/bench/typescript.cjs')
const { campaign } = require('../../lab/fuzz/campaign.ts')

let running = 0
const ask = async () => {
  running += 1
  await new Promise((resolve) => setImmediate(resolve))
  if (running > 3) void Promise.reject(new Error('unhandled'))
  running -= 1
  return { status: 200, text: '{"data":[]}' }
}
const target = { ask, askAlone: ask, lists: async () => [] }

void campaign({ requests: 64, seed: 3, target, mostFindings: 1, minimizing: 1 }).then(({ findings }) => {
  process.stdout.write(JSON.stringify(findings))
})
