import type { ExportGrant } from '../../lib/config'
import type { Extension } from '../../lib/http'
import { faultsOfValues, type ValueCheck } from '../../lib/schema'
import { describeExport } from './describe-export'
import { readExportQuery } from './export-query'
import { type ExportSettings, exportSender } from './export-sender'

/** Options of `listExports`. */
export interface ExportOptions {
  /**
   * Limits the number of exports that run at the same time in this process. Further requests get a 503.
   * @default 2
   */
  readonly maxExports?: number
  /**
   * Limits the number of entries in one export. A request for more entries gets a 400.
   * @default Infinity
   */
  readonly maxRows?: number
  /**
   * `true`: one transaction reads the whole export, so that all entries show one state of the database. `false`: each
   * batch has a short transaction of its own. The default is `true`, or `false` if the connection pool has one connection.
   * @default true
   */
  readonly snapshot?: boolean
  /**
   * `true`: CSV texts that a spreadsheet would run as a formula get an apostrophe in front.
   * @default false
   */
  readonly escapeFormulas?: boolean
}

const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) > 0
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'

const checks: Readonly<Record<keyof ExportOptions, ValueCheck>> = {
  maxExports: { fits: isCount, problem: 'the option maxExports must be a positive integer' },
  maxRows: {
    fits: (value) => isCount(value) || value === Infinity,
    problem: 'the option maxRows must be a positive integer or Infinity',
  },
  snapshot: { fits: isBoolean, problem: 'the option snapshot must be true or false' },
  escapeFormulas: { fits: isBoolean, problem: 'the option escapeFormulas must be true or false' },
}

function problemOf(grant: object): string | null {
  const { maxRows, ...others } = grant as Partial<ExportGrant>
  const isValid = isCount(maxRows) && Object.keys(others).length === 0
  return isValid ? null : 'a grant must be true, false or { maxRows: 1000 } with a positive integer'
}

/** The largest export that one of the grants allows. */
const maxRowsOf = (grants: readonly (true | object)[]): number =>
  Math.max(...grants.map((grant) => (grant === true ? Infinity : Number(Reflect.get(grant, 'maxRows')))))

/** Serves `GET /articles/export` for roles with the grant `export`. */
export function listExports(options: ExportOptions = {}): Extension {
  const { maxExports = 2, maxRows = Infinity, snapshot = null, escapeFormulas = false } = options
  const settings: ExportSettings = { maxExports, snapshot, escapeFormulas }
  const send = exportSender(settings)
  return {
    name: 'listExports',
    check: () => faultsOfValues('listExports', options, checks),
    listReading: {
      name: 'export',
      checkGrant: problemOf,
      parameters: { path: ['format'] },
      describe: describeExport,
      plan: (raw, { grants }) => {
        const { asked, query } = readExportQuery(raw)
        const most = Math.min(maxRows, maxRowsOf(grants))
        return { query, keys: [], send: (list) => send(list, { ...asked, maxRows: most }) }
      },
    },
  }
}
