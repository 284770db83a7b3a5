import { allShown, type Branch, type Level } from '../plan'
import type { Uid } from '../schema'
import type { Signing } from './signature'

/** Where one target of a level is reached from: a branch, and the type that it is to the branch. */
export interface TargetWay {
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
