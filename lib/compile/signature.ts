import { once } from '../memory'
import { type Condition, type Level, allShown, type Branch } from '../plan'
import type { Column, Link, Model, Uid } from '../schema'

/** Where one target of a level is reached from: a branch, and the type that it is to the branch. */
interface TargetWay {
  readonly branch: number
  readonly uid: Uid
}

/** A level that branches lead to, and those branches. */
export interface TargetGroup {
  readonly level: Level<never>
  readonly ways: readonly TargetWay[]
}

/** Counting needs the ids alone, and pages have been put in order by the statement that cut them. */
function wanted({ answer, page }: Branch<never>, level: Level<never>): Level<never> {
  if (answer === 'count') return { ...level, columns: [], branches: [], order: [], partly: allShown }
  return page === null ? level : { ...level, order: [] }
}

/** What the branches of a level lead to: levels that ask the same are one. */
export function targetGroupsOf(signatureOf: Signing, { branches }: Level<never>): readonly TargetGroup[] {
  const aims: (TargetGroup & { readonly ways: TargetWay[] })[] = []
  branches.forEach((branch, index) => {
    for (const [uid, target] of branch.targets) {
      const level = wanted(branch, target)
      const asksTheSame = (aim: TargetGroup): boolean =>
        aim.level.model === level.model && signatureOf(aim.level) === signatureOf(level)
      const way = { branch: index, uid }
      const known = aims.find(asksTheSame)
      if (known === undefined) aims.push({ level, ways: [way] })
      else known.ways.push(way)
    }
  })
  return aims
}

/** Whether the rows of what an aim leads to are as few as those that lead there: lists have no end. */
export const isToOne = ({ ways }: TargetGroup, { branches }: Level<never>): boolean =>
  ways.every(({ branch }) => branches[branch]?.field.many === false)

/** Equal for levels that ask the same. */
export type Signing = (level: Level<never>) => number

type SignedLevel = Level<never>

interface NamedAttribute {
  readonly name?: string
  readonly shownIn?: string
  readonly link?: Link
}

/** To some an attribute is there in all entries, to others in some; and to some it leads to less than to others. */
function nameOf({ name, shownIn, link }: NamedAttribute): string | undefined {
  const told = link?.via === 'mixed' ? link.told : undefined
  const more = [shownIn, told === undefined ? undefined : JSON.stringify(told)]
  return name === undefined ? name : [name, ...more.filter((part) => part !== undefined)].join(' ')
}

/** Names say which model, field or column is meant. */
function described(
  what: Level<never> | Condition<never>,
  ofTarget: (target: SignedLevel) => unknown,
): string {
  return JSON.stringify(what, (key, value: unknown) => {
    switch (key) {
      case 'model':
      case 'target':
        return (value as Model).uid
      case 'field':
      case 'column':
        return nameOf(value as NamedAttribute) ?? value
      case 'path':
        return undefined
      case 'columns':
        return JSON.stringify((value as readonly Column[]).map(nameOf))
      case 'targets':
        return value instanceof Map
          ? [...(value as Map<Uid, SignedLevel>)].map(([uid, target]) => [uid, ofTarget(target)])
          : value
      default:
        return typeof value === 'bigint' ? `${String(value)}n` : value
    }
  })
}

const targetsOf = ({ branches }: SignedLevel): readonly SignedLevel[] =>
  branches.flatMap(({ targets }) => [...targets.values()])

/**
 * Numbers levels by what they ask, each behind those below it, which are numbers by then: a deep plan is read but once.
 * `tell` hears every description that none before it was equal to.
 */
function makeNumbering(tell: (description: string) => void): Signing {
  const numbers = new Map<string, number>()
  const known = new WeakMap<SignedLevel, number>()
  const number = (level: SignedLevel): number => {
    const text = described(level, (target) => known.get(target))
    return once(numbers, text, () => {
      tell(text)
      return numbers.size
    })
  }
  return (level) => {
    // A stack of our own: that of the process is too short for the deepest plans.
    for (const waiting = [level]; ;) {
      const next = waiting.at(-1) ?? level
      const unknown = targetsOf(next).filter((target) => !known.has(target))
      if (unknown.length > 0) waiting.push(...unknown)
      else {
        const found = once(known, next, () => number(next))
        waiting.pop()
        if (waiting.length === 0) return found
      }
    }
  }
}

export const makeSigning = (): Signing => makeNumbering(() => undefined)

/** Equal for levels on which the same hangs, though other rows and columns of them may be asked for. */
export function signatureBelow(level: SignedLevel): string {
  const descriptions: string[] = []
  const whole: SignedLevel = { ...level, columns: [], where: { op: 'and', of: [] }, order: [] }
  makeNumbering((description) => descriptions.push(description))(whole)
  return descriptions.join('\n')
}

/** Equal for conditions that ask the same of the same type. */
export const textOf = (condition: Condition<never>): string => described(condition, (target) => target)
