/** Certificates, keys and revocation lists in PEM files ({@code PemFile}). */
@NullMarked
package io.godwit.common.pem;

import org.jspecify.annotations.NullMarked;
