/**
 * What operators have ranges and nodes do, each in one or several calls of {@code AdminClient}. The commands and the
 * API both use it.
 */
@NullMarked
package io.godwit.broker.admin.action;

import org.jspecify.annotations.NullMarked;
