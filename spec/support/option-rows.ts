import { isGroup, type Option } from '../../lib/config/option'
import { optionTable } from '../../lib/config/option-table'

const beside = [
  [
    'contentTypes',
    'path, paths, definitions',
    "Strapi 5's schema JSON: folders are read with all below them",
  ],
  ['database', 'Knex config or instance', '`mysql2` (MySQL 8, MariaDB 10.11), `better-sqlite3`, `pg`'],
  [
    'logger',
    'the console; `{ debug, info, warn, error }`; `false`',
    "where [errors and warnings](operations.md#the-log) are told, in pino's shape; `false`: nowhere",
  ],
  [
    'extensions',
    'none; `[openapi()]`',
    'features besides the core: [extensions](extensions.md) of the package, or your own',
  ],
] as const

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const shown = (name: string, { values, meaning, isPerRole }: Option<unknown>): string =>
  row([`\`${name}\``, values, meaning, isPerRole ? 'yes' : ''])

/** The lines of the table in docs/options.md, as the options themselves have it. */
export function optionRows(): readonly string[] {
  const options = Object.entries(optionTable).flatMap(([name, entry]) =>
    isGroup(entry)
      ? Object.entries(entry.options).map(([own, option]: [string, Option<unknown>]) =>
          shown(`${name}.${own}`, option),
        )
      : [shown(name, entry)],
  )
  return [...beside.map(([name, values, meaning]) => row([`\`${name}\``, values, meaning, ''])), ...options]
}
