import { decoded } from './plain-text'

/** Browsers and proxies resolve dots, which would leave the folder. */
const isDots = (part: string): boolean => /^\.\.?$/.test(part)

const mostTurns = 5

/** Decoded until nothing changes. */
function whole(text: string, turns = mostTurns): string {
  const plain = decoded(text)
  return plain === text || turns === 0 ? plain : whole(plain, turns - 1)
}

/**
 * An address below a folder of the page. Links with a query may come from untrusted authors. Following one must not
 * send a request to any other path of the host.
 */
export function addressBelow(folder: string, below: string): string {
  const root = new URL(folder, location.href)
  const address = new URL(folder + below.split('#').join('%23'), location.href)
  const [path = ''] = below.split('?')
  const isInside = address.origin === root.origin && address.pathname.startsWith(root.pathname)
  if (
    !isInside ||
    whole(path)
      .split(/[/\\]/)
      .some((part) => isDots(part.trim()))
  )
    throw new Error('dots in a path lead out of the API')
  return address.href
}
