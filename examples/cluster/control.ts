import { createServer, request } from 'node:http'
import { mkdirSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'

const folder = join(__dirname, '..', '..', '.tmp')

/** From where we stand, as the path of a socket must be short. Nobody but its owner can say anything there. */
const socket = (): string => relative(process.cwd(), join(folder, 'cluster.sock'))

/** Says something to the cluster that runs here, and returns what it says. */
export async function tell(words: readonly string[]): Promise<string> {
  const asked = request({ socketPath: socket(), path: `/${words.join('/')}`, method: 'POST' }).end()
  try {
    const [response] = (await once(asked, 'response')) as [AsyncIterable<Buffer>]
    return await text(response)
  } catch (error) {
    throw new Error('no cluster runs here: npm start starts it', { cause: error })
  }
}

/** Hears what is told; each answer is what the teller is told in turn. */
export async function listen(
  hear: (words: readonly string[]) => Promise<string>,
): Promise<{ readonly stop: () => void }> {
  const isTaken = await tell(['address']).then(
    () => true,
    () => false,
  )
  if (isTaken) throw new Error('a cluster runs here already: npm stop ends it')
  mkdirSync(folder, { recursive: true })
  rmSync(socket(), { force: true })
  const server = createServer((req, res) => {
    hear((req.url ?? '').slice(1).split('/')).then(
      (said) => res.end(said),
      (error: unknown) => res.end(String(error)),
    )
  })
  const before = process.umask(0o077)
  server.listen(socket())
  await once(server, 'listening')
  process.umask(before)
  return {
    stop: () => {
      server.close()
      server.closeIdleConnections()
    },
  }
}
