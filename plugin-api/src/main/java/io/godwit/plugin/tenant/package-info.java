/** The settings of each tenant, and their providers. */
@NullMarked
package io.godwit.plugin.tenant;

import org.jspecify.annotations.NullMarked;
