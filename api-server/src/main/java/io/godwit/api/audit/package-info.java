/** The record of changes. */
@NullMarked
package io.godwit.api.audit;

import org.jspecify.annotations.NullMarked;
