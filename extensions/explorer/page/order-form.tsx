import type { ComponentChildren } from 'preact'
import { Choice, RemoveButton } from './controls'
import type { Order } from './level'
import { targetsOf, throughLinks, type TypeData, type TypesByUid } from './page-data'

const sortedNames = ({ scalars }: TypeData): readonly string[] =>
  scalars.filter(({ isSorted }) => isSorted).map(({ name }) => name)

/** Attributes of the type itself, and of its to-one relations. */
function orderNames(types: TypesByUid, type: TypeData): readonly string[] {
  const toOne = throughLinks(type).filter(({ many }) => !many)
  const far = toOne.flatMap((link) =>
    targetsOf(types, link).flatMap((target) => sortedNames(target).map((name) => `${link.name}.${name}`)),
  )
  return [...sortedNames(type), ...far]
}

/** Also part of the button's accessible name, for speech control. */
const direction = ({ isDown }: Order): string => (isDown ? '↓ desc' : '↑ asc')

interface OrderFormProps {
  readonly orders: readonly Order[]
  readonly type: TypeData
  readonly types: TypesByUid
  readonly set: (orders: readonly Order[]) => void
}

export function OrderForm({ orders, type, types, set }: OrderFormProps): ComponentChildren {
  const left = orderNames(types, type).filter((name) => !orders.some(({ by }) => by === name))
  const turn = (order: Order): void => {
    set(orders.map((one) => (one === order ? { ...one, isDown: !one.isDown } : one)))
  }
  return (
    <fieldset>
      <legend>Sort</legend>
      <ul class="chosen">
        {orders.map((order) => (
          <li key={order.by}>
            <span>{order.by}</span>
            <button
              type="button"
              aria-label={`${direction(order)}: sorted by ${order.by}, reverse`}
              onClick={() => {
                turn(order)
              }}
            >
              {direction(order)}
            </button>
            <RemoveButton
              label={`Remove the sort key ${order.by}`}
              remove={() => {
                set(orders.filter((one) => one !== order))
              }}
            />
          </li>
        ))}
      </ul>
      <Choice
        label="Add a sort key"
        value=""
        set={(by) => {
          if (by !== '') set([...orders, { by, isDown: false }])
        }}
        none="choose"
        names={left}
      />
    </fieldset>
  )
}
