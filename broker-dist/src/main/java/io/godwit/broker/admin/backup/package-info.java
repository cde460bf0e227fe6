/** Backups of stores in use: how they are taken, written, checked, and unpacked for a restore. */
@NullMarked
package io.godwit.broker.admin.backup;

import org.jspecify.annotations.NullMarked;
