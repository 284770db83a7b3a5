import { introspect } from '../introspect'
import { databaseAt, openTraceless, plainSite, type Site } from './open-traceless'
import { StartError, type StartOptions } from './start-options'

/** Further parts are counted: `content-router introspect --dry-run` lists all. */
const shown = 8

function listed(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return []
  const more = lines.length - shown
  const rest = more > 0 ? [`  … and ${String(more)} more: content-router introspect --dry-run lists all`] : []
  return [title, ...lines.slice(0, shown).map((line) => `  ${line}`), ...rest]
}

/** The tables of a database, with definitions that stay in memory. */
export async function introspectedSite(
  connection: NonNullable<StartOptions['connection']>,
  folder: string,
): Promise<Site> {
  const opened = openTraceless(databaseAt(connection), folder, false)
  try {
    const choice = { schema: null, tables: [], views: new Map<string, string>() }
    const { definitions, unserved, secrets } = await introspect(opened.database, choice)
    const leftOut = unserved.map(({ place, reason }) => `${place}: ${reason}`)
    if (definitions.size === 0)
      throw new StartError(['The router cannot serve any table of this database:', ...leftOut].join('\n  '))
    return {
      ...plainSite,
      title: 'The tables of a database',
      name: 'Tables',
      config: { contentTypes: [...definitions.values()] },
      opened,
      notes: [
        ...listed('Omitted parts:', leftOut),
        ...listed('Private columns, because of their names:', secrets),
        'To write these definitions to files, run content-router introspect',
      ],
    }
  } catch (error) {
    await opened.close()
    throw error
  }
}
