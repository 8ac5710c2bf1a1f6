/** Holds the English texts for adding, promoting and removing members: buttons, announcements, keyboard help. */
export const memberChanges = {
  'fault.add': 'Add member {name}',
  'fault.adds': 'member {name} is to be added',
  'fault.promote': 'Make it a voter',
  'fault.promotes': 'member {name} is to become a voter',
  'fault.remove': 'Remove',
  'fault.removes': 'member {name} is to be removed',
  'keys.members': 'add a member or make an observer a voter; remove the member',
} as const
