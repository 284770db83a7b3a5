import type { ReadAction } from '../config'
import type { Uid } from '../schema'
import { heaviest, type Weight } from './weight'

/** Which code Strapi asks at a path: what it brings itself, the project's own, or none. */
export type Answerer = 'core' | 'other' | 'nobody'

/** What routes say about one way to read a type. */
export interface ActionReading {
  readonly weight: Weight
  readonly answerer: Answerer
}

export type RoutesReading = Readonly<Record<ReadAction, ActionReading>>

/** Whose reads are looked for. */
export interface RoutedType {
  readonly uid: Uid
  readonly route: string
  readonly isSingle: boolean
}

/** A file of routes, as seen from a type. */
export interface RoutesPlace {
  readonly type: RoutedType
  /** The API that it stands in, as Strapi calls it. */
  readonly api: string
  readonly text: string
  /** It is the type's own, by its folder and by its name. */
  readonly isOwn: boolean
  /** Koa's router takes the first route that fits, and Strapi brings them by the names of APIs and files. */
  readonly mayComeFirst: boolean
}

const absent: ActionReading = { weight: 'nothing', answerer: 'nobody' }

export const readsOf = ({ isSingle }: RoutedType): readonly ReadAction[] =>
  isSingle ? ['find'] : ['find', 'findOne']

export function byRead(type: RoutedType, read: (action: ReadAction) => ActionReading): RoutesReading {
  return { find: read('find'), findOne: type.isSingle ? absent : read('findOne') }
}

export const noRoutes: RoutesReading = { find: absent, findOne: absent }

const locked: ActionReading = { weight: 'guards', answerer: 'nobody' }
export const lockedRoutes: RoutesReading = { find: locked, findOne: locked }

/** Of several routes that fit, the first one answers. */
export const firstAnswerer = (readings: readonly ActionReading[]): Answerer =>
  readings.find(({ answerer }) => answerer !== 'nobody')?.answerer ?? 'nobody'

function together(readings: readonly ActionReading[]): ActionReading {
  return {
    weight: heaviest(readings.map(({ weight }) => weight)),
    answerer: firstAnswerer(readings),
  }
}

export const togetherRouted = (readings: readonly RoutesReading[]): RoutesReading => ({
  find: together(readings.map(({ find }) => find)),
  findOne: together(readings.map(({ findOne }) => findOne)),
})
