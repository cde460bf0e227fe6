/** The settings of tenants: {@code tenantConfig}, and what names of tenants must look like. */
@NullMarked
package io.godwit.broker.settings.tenant;

import org.jspecify.annotations.NullMarked;
