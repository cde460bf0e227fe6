/**
 * Backups: copies of all stores of a node or a cluster as one archive, and their check and unpacking for a restore.
 */
@NullMarked
package io.godwit.broker.admin.backup;

import org.jspecify.annotations.NullMarked;
