import { setTimeout as pause } from 'node:timers/promises'
import express from 'express'
import { contentRouter } from '../../lib'
import { type Asker, askerOf } from '../../spec/support/asker'
import { library } from '../../spec/support/library'
import { fill, startWriting, watchVersion, type Writing } from './content'
import { judge, nothing, type Verdict } from './judge'
import { patience, type ReadyNodes, watchNodes } from './ready-nodes'
import type { Topology } from './topologies'

const clients = 6

/** A topology, as it is asked. */
interface Side {
  readonly name: string
  readonly asker: Asker
  readonly verdict: Verdict
  readonly least: () => number
  /** What the reader had shown before it went down says nothing of what it shows when it comes back. */
  readonly comesBack: boolean
  readonly nodes: ReadyNodes
  readonly close: () => Promise<void>
}

interface Course {
  isOver: boolean
}

async function askOn(side: Side, course: Course): Promise<void> {
  const client = async (_: undefined, number: number): Promise<void> => {
    for (let asked = 0; !course.isOver; asked += 1) {
      const pageSize = 1 + ((number + asked) % 8)
      const sentAt = performance.now()
      const least = side.least()
      const text = `/api/authors?populate=country&pagination[pageSize]=${String(pageSize)}`
      const { status, body } = await side.asker.ask(text)
      // The servers are asked one question after the other: that none answers is known a little later.
      if (status !== 200) await pause(patience)
      const isDown = side.nodes.wereNoneSince(sentAt)
      if (status !== 200 && !isDown) process.stderr.write(`${side.name}: ${String(status)} ${body}\n`)
      const known = isDown && side.comesBack ? 0 : least
      judge(side.verdict, { pageSize, least: known, isDown }, status, body)
      await pause(20)
    }
  }
  await Promise.all(Array<undefined>(clients).fill(undefined).map(client))
}

async function openSide({ database, judgedBy, ...topology }: Topology, writing: Writing): Promise<Side> {
  const watched = watchVersion(topology.reader)
  const permissions = { public: { find: '*' } } as const
  const router = contentRouter({ contentTypes: library, database, permissions, cache: {}, logger: false })
  const nodes = watchNodes(topology.nodes)
  const asker = await askerOf(express().use('/api', router))
  const verdict = nothing()
  const close = async (): Promise<void> => {
    verdict.hits = router.cache.stats().hits
    await asker.close()
    await router.close()
    await watched.stop()
    await nodes.stop()
  }
  const least = judgedBy === 'writer' ? writing.done : watched.seen
  const { name } = topology
  return { name, asker, verdict, least, comesBack: judgedBy === 'reader', nodes, close }
}

/** One blow after the other, each for so many milliseconds. */
async function strikeOn(
  { blows }: Topology,
  { writing, milliseconds }: { readonly writing: Writing; readonly milliseconds: number },
): Promise<void> {
  await pause(milliseconds)
  for (const blow of blows) {
    await blow.strike(writing)
    await pause(milliseconds)
    await blow.mend(writing)
    await pause(1500 + milliseconds / 2)
  }
}

/** What came of the requests to a topology. */
export async function trouble(topology: Topology, milliseconds: number): Promise<Verdict> {
  await fill(topology.primary)
  const writing = startWriting(topology.primary, 0)
  while (writing.done() < 3) await pause(20)
  await pause(1500)
  const side = await openSide(topology, writing)
  const course: Course = { isOver: false }
  const asking = askOn(side, course)
  try {
    await strikeOn(topology, { writing, milliseconds })
  } finally {
    course.isOver = true
    await asking
    await writing.stop()
    await side.close()
  }
  return side.verdict
}
