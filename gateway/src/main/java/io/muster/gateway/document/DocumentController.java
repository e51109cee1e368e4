package io.muster.gateway.document;

import io.swagger.v3.oas.annotations.Operation;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Locale;
import org.springdoc.webmvc.api.OpenApiWebMvcResource;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class DocumentController {

    private final ApiDocument document;
    private final OpenApiWebMvcResource own;

    DocumentController(ApiDocument document, OpenApiWebMvcResource own) {
        this.document = document;
        this.own = own;
    }

    @Operation(summary = "This document; needs no key")
    @GetMapping("/api/v1/openapi.json")
    ResponseEntity<byte[]> document(HttpServletRequest request)
            throws com.fasterxml.jackson.core.JsonProcessingException {
        byte[] gateway = own.openapiJson(request, "/v3/api-docs", Locale.ENGLISH);
        return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(document.text(gateway));
    }
}
