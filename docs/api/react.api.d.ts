// holdpoint/react: 1 exports. Written by `npm run api`; do not edit.

export interface PartProps {
    className?: string;
}
