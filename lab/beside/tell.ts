import { say } from '../bench/report'
import type { Comparison, Difference } from './compare'
import { reasons } from './reasons'
import type { Refusals } from './fill'

/** Of each reason so many are shown whole. */
const shown = (isKnown: boolean): number => (isKnown ? 1 : 12)

function tellReason(differences: readonly Difference[]): void {
  const [first] = differences
  if (first === undefined) return
  say(`\n${String(differences.length)} × ${first.reason.name}`)
  for (const { path, told } of differences.slice(0, shown(first.reason.isKnown))) {
    say(`  /api/${path}`)
    say(
      `    Strapi ${told.replace(/^expected/, 'expected (Strapi)')}`.replace(
        'Strapi expected (Strapi)',
        'expected of Strapi',
      ),
    )
  }
}

export function tellRefusals(refused: Refusals): void {
  for (const [what, times] of Object.entries(refused)) say(`  not written, ${String(times)} ×: ${what}`)
}

/** Whether something is not as docs/concepts/differences-from-strapi.md says. */
export function tell(title: string, { asked, statuses, differences }: Comparison): boolean {
  for (const reason of reasons) tellReason(differences.filter((one) => one.reason === reason))
  const unknown = differences.filter(({ reason }) => !reason.isKnown).length
  const failing = Object.entries(statuses).filter(([pair]) => /\/5/.test(pair))
  const pairs = Object.entries(statuses).map(([pair, count]) => `${String(count)} × ${pair}`)
  say(`\nstatuses of Strapi/router: ${pairs.join(', ')}`)
  say(
    `${title}: ${String(asked)} requests, ${String(asked - differences.length)} agree, ` +
      `${String(differences.length - unknown)} differ as docs/concepts/differences-from-strapi.md says, ${String(unknown)} otherwise; ` +
      `${String(failing.reduce((sum, [, count]) => sum + count, 0))} × 5xx`,
  )
  return unknown > 0
}
