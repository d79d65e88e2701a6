/** The field of the last status whose event is pending. Documents and replicas of every version name it so. */
export const PENDING_STATUS = 'untold';
