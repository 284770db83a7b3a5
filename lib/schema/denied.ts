import type { Fault } from '../errors'

const inProject = /[\\/](src[\\/](?:admin|api|components|extensions|plugins)(?:[\\/].*)?)$/

/** The place that the system lets this process not look into, if it was that. */
export function deniedAt(error: unknown): string | undefined {
  const { code, path } = Object(error) as Partial<NodeJS.ErrnoException>
  return code === 'EACCES' || code === 'EPERM' ? path : undefined
}

/** In place of the system's own words, which name the folders above the project as well. */
export const deniedFault = (place: string): Fault => ({
  where: inProject.exec(place)?.[1] ?? place,
  problem: 'may not be read',
  remedy: 'give the process the right to read it',
})
