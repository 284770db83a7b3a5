const otherNode =
  /did not self-register|NODE_MODULE_VERSION|invalid ELF header|wrong ELF class|incompatible architecture|not a valid Win32/

const notBuilt = /Could not locate the bindings file/

/** The package that the driver's own part lies in. */
const packageIn = (message: string): string =>
  [...message.matchAll(/node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/'"]+)/g)].at(-1)?.[1] ?? 'better-sqlite3'

/** Where it lies, if the loader says so. */
const placeIn = (message: string): string => {
  const [, place] = /['\s]?([^'\s]*[\\/][^'\n]*?\.node)\b/.exec(message) ?? []
  return place === undefined ? '' : `\n  ${place}`
}

/** What is compiled in a driver is loaded at its first use. Null where that is not what went wrong. */
export function driverFault(error: unknown): string | null {
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown }
  const said = typeof message === 'string' ? message : ''
  const name = packageIn(said)
  const again = `npm rebuild ${name}, in the folder that it is installed in`
  if (notBuilt.test(said))
    return `The driver ${name} was installed without what has to be compiled for it. Make up for it: ${again}.`
  if (code !== 'ERR_DLOPEN_FAILED' && !otherNode.test(said)) return null
  const isOfOther = otherNode.test(said)
  const why = isOfOther
    ? `was built for another Node or system than this one, ${process.version} on ${process.platform} ${process.arch}`
    : 'cannot be loaded'
  const other = isOfOther ? 'Start with the Node that it was installed by (nvm use), or build it' : 'Build it'
  return `The driver ${name} ${why}:${placeIn(said)}\n${other} again: ${again}.`
}
