import type { AggregateGrant } from '../../lib/config'
import type { Extension } from '../../lib/http'
import { describeAggregates } from './describe-aggregates'
import { planAggregates, planFacets } from './plan-aggregates'

function problemOf(grant: object): string | null {
  const { minGroup, ...others } = grant as Partial<AggregateGrant>
  const isValid = Number.isInteger(minGroup) && Number(minGroup) > 0 && Object.keys(others).length === 0
  return isValid
    ? null
    : 'aggregates() requires the grant true, false or { minGroup: 5 } with a positive integer'
}

/** Serves `GET /articles/aggregate` and the parameter `facets` of lists, for roles with the grant `aggregate`. */
export const aggregates = (): Extension => ({
  name: 'aggregates',
  listReading: {
    name: 'aggregate',
    checkGrant: problemOf,
    parameters: { path: ['aggregate', 'groupBy', 'having'], list: ['facets'] },
    plan: planAggregates,
    planBeside: planFacets,
    describe: describeAggregates,
  },
})
