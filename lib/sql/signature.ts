import { once } from '../memory'
import { type Condition, type Level, allShown, type Branch } from '../plan'
import type { Column, LinkField, Model, Uid } from '../schema'

interface TargetWay {
  readonly branch: number
  readonly uid: Uid
}

export interface TargetGroup {
  readonly level: Level<never>
  readonly ways: readonly [TargetWay, ...TargetWay[]]
}

/** Counts need ids only. Pages are sorted by the statement of their links. */
function targetLevel({ answer, page }: Branch<never>, level: Level<never>): Level<never> {
  if (answer === 'count') return { ...level, columns: [], branches: [], order: [], partly: allShown }
  return page === null ? level : { ...level, order: [] }
}

export function targetGroupsOf(signatureOf: Signing, { branches }: Level<never>): readonly TargetGroup[] {
  const groups: (TargetGroup & { readonly ways: [TargetWay, ...TargetWay[]] })[] = []
  branches.forEach((branch, index) => {
    for (const [uid, target] of branch.targets) {
      const level = targetLevel(branch, target)
      const isSame = (group: TargetGroup): boolean =>
        group.level.model === level.model && signatureOf(group.level) === signatureOf(level)
      const way = { branch: index, uid }
      const known = groups.find(isSame)
      if (known === undefined) groups.push({ level, ways: [way] })
      else known.ways.push(way)
    }
  })
  return groups
}

export const isToOne = ({ ways }: TargetGroup, { branches }: Level<never>): boolean =>
  ways.every(({ branch }) => branches[branch]?.field.many === false)

export type Signing = (level: Level<never>) => number

type NamedAttribute = Partial<Pick<LinkField, 'name' | 'shownIn' | 'link'>>

/** Rules may hide an attribute in some rows, or links to some types. */
function nameOf({ name, shownIn, link }: NamedAttribute): string | undefined {
  if (name === undefined) return undefined
  const writtenBy =
    link?.via === 'mixed' && link.writtenBy !== undefined ? JSON.stringify(link.writtenBy) : undefined
  return [name, shownIn, writtenBy].filter((part) => part !== undefined).join(' ')
}

/** Models, fields and columns are replaced by their names. */
function described(
  what: Level<never> | Condition<never>,
  ofTarget: (target: Level<never>) => unknown,
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
        return [...(value as Map<Uid, Level<never>>)].map(([uid, target]) => [uid, ofTarget(target)])
      default:
        return typeof value === 'bigint' ? `${String(value)}n` : value
    }
  })
}

/** Numbers levels from the bottom up, so that deep plans are read once. `onNew` gets each new description. */
export function makeSigning(onNew?: (description: string) => void): Signing {
  const numbers = new Map<string, number>()
  const known = new WeakMap<Level<never>, number>()
  return function sign(level) {
    const before = known.get(level)
    if (before !== undefined) return before
    // Not inside of the description, which would take more of the stack for each level.
    for (const { targets } of level.branches) for (const target of targets.values()) sign(target)
    const text = described(level, (target) => known.get(target))
    if (!numbers.has(text)) onNew?.(text)
    const number = once(numbers, text, () => numbers.size)
    known.set(level, number)
    return number
  }
}

/** Equal for levels with equal branches, whatever their own columns and conditions. */
export function signatureBelow(level: Level<never>): string {
  const descriptions: string[] = []
  const whole: Level<never> = { ...level, columns: [], where: { op: 'and', of: [] }, order: [] }
  makeSigning((description) => descriptions.push(description))(whole)
  return descriptions.join('\n')
}

export const textOf = (condition: Condition<never>): string => described(condition, (target) => target)
