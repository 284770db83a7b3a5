// Fuzzes a target that keeps 50 KB of each request and one that lets go of it, and prints what was found of either. In a process
// of its own: what earlier specs of a worker held is let go of at any time, and would be weighed as well.
require('../../lab/bench/typescript.cjs')
const { campaign } = require('../../lab/fuzz/campaign.ts')

const held = []
const fuzz = (keep) => {
  const ask = async () => {
    keep(Buffer.alloc(50_000))
    return { status: 200, text: '{"data":[]}' }
  }
  return campaign({
    requests: 640,
    seed: 3,
    mostKept: 10_000_000,
    target: { ask, askAlone: ask, lists: async () => [] },
  })
}

async function main() {
  const keeping = await fuzz((bytes) => held.push(bytes))
  const lettingGo = await fuzz(() => undefined)
  process.stdout.write(JSON.stringify({ keeping, lettingGo }))
}

void main()
