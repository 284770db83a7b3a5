import type { LinkField, LinkRole } from '../schema'
import type { AnswerOptions } from './answer-options'

export function isWrappedLink(role: LinkRole, { relations, localizations }: AnswerOptions): boolean {
  switch (role) {
    case 'component':
    case 'zone':
      return false
    case 'localizations':
      return localizations === 'wrapped'
    case 'relation':
    case 'media':
    case 'morph':
      return relations === 'wrapped'
  }
}

export const isPaged = ({ role, targets }: LinkField, { nestedPagination }: AnswerOptions): boolean =>
  nestedPagination && role !== 'localizations' && targets.length === 1
