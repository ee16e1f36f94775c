// RespoolVerifier
