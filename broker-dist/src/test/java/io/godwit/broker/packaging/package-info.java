/**
 * Checks what is shipped around the broker: the distribution and its scripts, packages, images and the Helm chart.
 */
@NullMarked
package io.godwit.broker.packaging;

import org.jspecify.annotations.NullMarked;
