import { eachDatabase } from '../support/databases'
import {
  allRuleValues,
  expectRejectedOrServed,
  ruleValueContent,
  ruleValueTypes,
} from '../support/rule-values'
import { stocked } from '../support/served'
import { aThirdOf } from '../support/sweep'

eachDatabase((database) => {
  const { serve } = stocked(database, ruleValueTypes, ruleValueContent)

  it.each(['exact', 'database'] as const)(
    'a rule with any value is rejected at start or can be queried, with textMatching %s',
    async (textMatching) => {
      await expectRejectedOrServed(serve, aThirdOf(allRuleValues), textMatching)
    },
    120_000,
  )
})
