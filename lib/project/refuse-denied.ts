import { relative } from 'node:path'
import { ConfigError } from '../errors'
import { deniedAt, deniedFault } from '../schema'

/** A part of a project that may not be read is a fault, told by its place in the project. */
export function refuseDenied<T>(root: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    const place = deniedAt(error)
    if (place === undefined) throw error
    throw new ConfigError([{ ...deniedFault(place), where: relative(root, place) }])
  }
}
