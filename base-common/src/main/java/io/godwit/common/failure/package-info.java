/** Failures of futures, without the exceptions that wrap them ({@code Failures}). */
@NullMarked
package io.godwit.common.failure;

import org.jspecify.annotations.NullMarked;
