import { get } from 'node:http'
import { findProgram, freePort, makeHome, type Running } from './private-server'

const answers = (url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    get(url, (response) => {
      response.resume().on('end', resolve)
    }).on('error', reject)
  })

/** A cache before a server, by a text in its own language. Undefined where it is not installed. */
export async function startVarnish(vcl: string): Promise<Running | undefined> {
  const program = findProgram('varnishd')
  if (program === undefined) return undefined
  const home = makeHome('varnish', 'KILL')
  try {
    const port = await freePort()
    const url = `http://127.0.0.1:${String(port)}/`
    const file = home.write('own.vcl', vcl)
    const listening = ['-F', '-j', 'none', '-n', `${home.folder}/work`, '-a', `127.0.0.1:${String(port)}`]
    await home.serve({ path: program, environment: {} }, [...listening, '-f', file, '-s', 'malloc,16m'], () =>
      answers(url),
    )
    return { url, stop: home.stop }
  } catch (error) {
    await home.stop()
    throw error
  }
}
