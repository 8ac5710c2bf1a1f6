/** English texts about faults and changes of the group, on buttons and in announcements. */
export const fault = {
  'fault.add': 'Add member {name}',
  'fault.adds': 'member {name} is to be added',
  'fault.promote': 'Make it a voter',
  'fault.promotes': 'member {name} is to become a voter',
  'fault.remove': 'Remove',
  'fault.removes': 'member {name} is to be removed',
  'keys.members': 'add a member or make an observer a voter; remove the member',
} as const
