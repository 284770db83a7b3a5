import { eachDatabase } from '../support/databases'
import { expectPagesOfList, pagedWorlds, pageQueries, pageRoles } from '../support/edges-of-pages'

eachDatabase((database) => {
  const worlds = pagedWorlds(database)

  it.each(pageQueries)('hidden rows do not change the pages before and after: %s', async (query) => {
    for (const world of worlds) for (const role of pageRoles) await expectPagesOfList(world, query, role)
  })
})
